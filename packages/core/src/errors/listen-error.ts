/** What whoever starts the program calls the two, where they are given. */
interface AddressNames {
  readonly host: string
  readonly port: string
}

/** Why nothing can listen there, and what to do; `null` for what has nothing to do with the address. */
export function describeListenError(error: unknown, host: string, port: number, names: AddressNames): string | null {
  const found = `${names.port} ${port} of ${host}`
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return `${found} is in use. End the program that has it, or choose another ${names.port}.`
    case 'EACCES':
      return `${found} is not for this user, as ports below 1024 often are. Choose another ${names.port}, such as 3000.`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${names.host} is '${host}', which is not an address of this machine. Give one, such as 127.0.0.1.`
    default:
      return null
  }
}
