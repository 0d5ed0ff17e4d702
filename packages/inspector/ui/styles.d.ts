// The bundler writes styles to a separate file.
declare module '*.css'

declare module '*.svg' {
  /** URL of the picture, with scheme `data:`. */
  const url: string
  export default url
}
