import type { Input, Reply, Route } from '#contract/api.ts'
import type { SignedIn } from '../core/accounts/sessions/sessions.ts'
import type { Actor } from '../core/actor.ts'
import type { Ctx } from '../core/ctx.ts'

type Extras = {
  status?: number
  cookies?: { session?: string; device?: string | undefined; challenge?: string }
}

/** A reply that also sets a status, headers or cookies. */
export class EndpointResult<T> {
  readonly body: T
  readonly status: number | undefined
  readonly cookies: NonNullable<Extras['cookies']>

  constructor(body: T, { status, cookies = {} }: Extras = {}) {
    this.body = body
    this.status = status
    this.cookies = cookies
  }
}

type DownloadedFile = { name: string; chunks: AsyncIterable<Uint8Array>; bytes?: number }

/** A file, perhaps sent while it is generated. */
export class Download {
  readonly type: string
  readonly chunks: AsyncIterable<Uint8Array>
  /** How long it is, if that is known. */
  readonly bytes: number | undefined
  #name: string

  constructor(type: string, file: DownloadedFile) {
    this.type = type
    this.chunks = file.chunks
    this.bytes = file.bytes
    this.#name = file.name
  }

  /** Characters that file systems refuse become '-'; clients that cannot decode the name get an ASCII one. */
  get contentDisposition(): string {
    const name = this.#name.replaceAll(/["*/:<>?\\|]/gu, '-')
    const encoded = encodeURIComponent(name).replaceAll(
      /['()*]/gu,
      (character) => `%${character.charCodeAt(0).toString(16)}`,
    )
    return `attachment; filename="${name.replaceAll(/[^ -~]/gu, '-')}"; filename*=UTF-8''${encoded}`
  }
}

/** `gone`: a signal that is aborted when the caller no longer waits for the answer. */
export type Caller = { gone: () => AbortSignal }

export type Endpoint = {
  route: Route
  run: (ctx: Ctx, actor: Actor, input: Input<Route>, caller: Caller) => Promise<unknown>
}

/** Connects a route of the contract to an operation. The compiler checks input and reply against the route. */
export function endpoint<R extends Route>(
  route: R,
  run: (
    ctx: Ctx,
    actor: Actor,
    input: Input<R>,
    caller: Caller,
  ) => Promise<Reply<R> | EndpointResult<Reply<R>> | Download>,
): Endpoint {
  return { route, run }
}

export async function signInResult<T>(login: Promise<SignedIn<T>>): Promise<EndpointResult<T>> {
  const { cookie, deviceCookie, reply } = await login
  return new EndpointResult(reply, { cookies: { session: cookie, device: deviceCookie } })
}

export const csv = (file: DownloadedFile): Download => new Download('text/csv; charset=utf-8', file)

export const zip = (file: DownloadedFile): Download => new Download('application/zip', file)
