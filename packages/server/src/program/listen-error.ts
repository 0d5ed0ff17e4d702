interface AddressNames {
  readonly host: string
  readonly port: string
}

/** Describes why the server cannot listen on an address, and the fix; `null` for errors unrelated to the address. */
export function describeListenError(error: unknown, host: string, port: number, names: AddressNames): string | null {
  const found = `${names.port} ${port} of ${host}`
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return `${found} is in use. Stop the program that uses it, or choose another ${names.port}.`
    case 'EACCES':
      return `${found} requires elevated privileges, as ports below 1024 usually do. Choose another ${names.port}, such as 3000.`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${names.host} is '${host}', which is not an address of this machine. Give one, such as 127.0.0.1.`
    default:
      return null
  }
}
