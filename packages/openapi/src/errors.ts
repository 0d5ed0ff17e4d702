/** A document that cannot be used, or a part of it. The message names the place. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError'
}

/** Thrown while an operation is read, if the operation refers to a document that is not loaded yet. */
export class NotLoaded extends Error {
  override readonly name = 'NotLoaded'

  constructor(readonly url: string) {
    super(url)
  }
}

/** Arguments that no valid request can be made of. The model gets the message. */
export class RequestError extends Error {
  override readonly name = 'RequestError'
}
