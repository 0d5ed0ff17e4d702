// The bundler writes styles to a separate file.
declare module '*.css'
