import { readFileSync } from 'node:fs'

/** What `deploy/Containerfile` says about the image that comes out of it. */
export function readContainerfile() {
  const text = readFileSync('deploy/Containerfile', 'utf8').replaceAll(/\\\n\s*/gu, '')
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM')))
  const one = (instruction: string, among = last): string => {
    const found = among.filter((line) => line.startsWith(`${instruction} `))
    if (found.length !== 1) throw new Error(`deploy/Containerfile has ${found.length} lines ${instruction}`)
    return found[0]?.slice(instruction.length + 1) ?? ''
  }
  const [uid = NaN, gid = NaN] = one('USER').split(':').map(Number)
  const list = (json: string): string[] => JSON.parse(json)
  return {
    base: one(
      'ARG NODE',
      lines.map((line) => line.replace('ARG NODE=', 'ARG NODE ')),
    ),
    /** Of each stage; undefined where it names none. */
    platforms: lines
      .filter((line) => line.startsWith('FROM '))
      .map((line) => /--platform=(\S+)/u.exec(line)?.[1]),
    env: Object.fromEntries(
      one('ENV')
        .split(' ')
        .map((pair) => pair.split('=')),
    ) as Record<string, string>,
    folder: one('WORKDIR'),
    user: [uid, gid] as [number, number],
    healthCheck: list(one('HEALTHCHECK').replace(/^.* CMD /u, '')),
    entrypoint: list(one('ENTRYPOINT')),
    command: list(one('CMD')),
  }
}
