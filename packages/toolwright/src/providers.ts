export * from '@toolwright/auth/providers'
