import { describeListenError } from '@toolwright/server/program'

const names = { host: 'HOST', port: 'PORT' }

it.each([
  ['EADDRINUSE', 'PORT 80 of ::1 is in use. Stop the program that uses it, or choose another PORT.'],
  [
    'EACCES',
    'PORT 80 of ::1 requires elevated privileges, as ports below 1024 usually do. Choose another PORT, such as 3000.',
  ],
  ['EADDRNOTAVAIL', "HOST is '::1', which is not an address of this machine. Give one, such as 127.0.0.1."],
  ['ENOTFOUND', "HOST is '::1', which is not an address of this machine. Give one, such as 127.0.0.1."],
  ['EAI_AGAIN', "HOST is '::1', which is not an address of this machine. Give one, such as 127.0.0.1."],
  ['EMFILE', null],
])('%s is described as an error of the address, if the address is the cause', (code, said) => {
  expect(describeListenError(Object.assign(new Error(code), { code }), '::1', 80, names)).toBe(said)
})
