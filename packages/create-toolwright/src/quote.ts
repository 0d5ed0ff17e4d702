export function quote(folder: string): string {
  const name = folder.startsWith('-') ? `./${folder}` : folder
  if (/^[\p{L}\p{M}\p{N}@%+=:,./\\_-]+$/u.test(name)) return name
  // cmd.exe and PowerShell both support these quotes, and names on Windows cannot contain them.
  return process.platform === 'win32' ? `"${name}"` : `'${name.replaceAll("'", "'\\''")}'`
}
