import { createUsers } from './authorize-callers.js'

const server = await createUsers()
// #region matrix
console.log(
  String(
    server.authorizationMatrix({
      roles: ['Admin', 'Manager'],
      scopes: ['users:write'],
    }),
  ),
)
// #endregion
