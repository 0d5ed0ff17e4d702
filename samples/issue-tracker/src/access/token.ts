import { signToken } from './development-issuer.js'

const roles = ['reader', 'writer', 'admin']
const [role = '', subject = role] = process.argv.slice(2)

if (roles.includes(role)) {
  process.stdout.write(`${await signToken(subject, role)}\n`)
} else {
  process.stderr.write(
    'Prints a token of the development issuer: node token.js reader|writer|admin [SUBJECT]\n',
  )
  process.exitCode = 1
}
