/** `postgres://app:secret@a:5432,b:5432/tableside`: which `pg` does not read, so it becomes a URL for each host. */
export function serverUrls(url: string): string[] {
  const [, start = '', hosts = '', rest = ''] = /^([a-z]+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/su.exec(url) ?? []
  return hosts.split(',').map((host) => start + host + rest)
}

/** The same URL with other parameters; those that are null are left out. */
export function withParameters(url: string, parameters: Record<string, string | null>): string {
  const [address, search] = splitQuery(url)
  for (const [name, value] of Object.entries(parameters)) {
    if (value === null) search.delete(name)
    else search.set(name, value)
  }
  // PostgreSQL's own programs do not read a plus as a space.
  return search.size === 0 ? address : `${address}?${search.toString().replaceAll('+', '%20')}`
}

export function readParameter(url: string, name: string): string | null {
  return splitQuery(url)[1].get(name)
}

function splitQuery(url: string): [string, URLSearchParams] {
  const [address = ''] = url.split('?', 1)
  return [address, new URLSearchParams(url.slice(address.length))]
}

/** Empty if the URL names none, a path if it is a folder with sockets. */
export function hostOf(serverUrl: string): string {
  const { hostname, searchParams } = new URL(serverUrl)
  return searchParams.get('host') ?? decodeURIComponent(hostname).replace(/^\[(.+)\]$/u, '$1')
}
