import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { api } from '#contract/api.ts'
import { setUpApp } from '../support/app.ts'
import { type Sample, samplesIn, typesIn } from '../support/reading/prometheus.ts'

const folder = 'deploy/monitoring'
const rules = readFileSync(`${folder}/alerts.yml`, 'utf8')
const board: { panels: { title: string; targets: { expr: string }[]; gridPos: Record<string, number> }[] } =
  JSON.parse(readFileSync(`${folder}/grafana.json`, 'utf8'))
const boardQueries = board.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)).join('\n')

const metricPattern = /\b((?:tableside|process)_\w+)(?:\{([^}]*)\})?/gu

/** Metrics of servers with several workers, or with backups of their own: `test/running/metrics.test.ts` knows them. */
const onlySometimes = ['tableside_workers', 'tableside_backup_overdue']

/** `tableside_commit_seconds_bucket` belongs to the histogram `tableside_commit_seconds`. */
const familyOf = (name: string, types: Map<string, string>): string => {
  const family = name.replace(/_(?:bucket|sum|count)$/u, '')
  return types.get(family) === 'histogram' ? family : name
}

const hasPromtool = spawnSync('promtool', ['--version']).status === 0

describe.each([
  ['alert rules', rules],
  ['Grafana board', boardQueries],
])('the %s', (_name, text) => {
  const app = setUpApp()
  let types: Map<string, string>
  let samples: Sample[]
  beforeAll(async () => {
    const { name, device } = await app.restaurant()
    const body = { restaurantId: name, tableNumber: '1', serviceType: 'check' } as const
    const { request } = await app.browser().ok(api.requests.send, { body })
    const screen = await device.connect()
    await screen.request({ type: 'complete-request', id: request.id })
    const metrics = await (await app.browser().fetch('/metrics')).text()
    types = typesIn(metrics)
    samples = samplesIn(metrics)
  })
  const namedIn = (source: string) =>
    [...source.matchAll(metricPattern)].filter(([, name = '']) => !onlySometimes.includes(name))
  const used = () => namedIn(text)

  it('name only metrics that the server shows', () => {
    const unknown = used().filter(([, name = '']) => !types.has(familyOf(name, types)))
    expect(used().length).toBeGreaterThan(10)
    expect(unknown.map(([found]) => found)).toEqual([])
  })

  it('ask histograms for their buckets, sums and counts, and nothing else for them', () => {
    const queries = text.replaceAll(/^ +(?:summary|description): .*$/gmu, '')
    const wrong = namedIn(queries).filter(([, name = '']) => {
      const isPart = familyOf(name, types) !== name
      return !isPart && types.get(name) === 'histogram'
    })
    expect(wrong.map(([found]) => found)).toEqual([])
  })

  it('name only values of labels that occur', () => {
    const unknown = used().flatMap(([, name = '', matchers = '']) =>
      [...matchers.matchAll(/(\w+)(!?=)"([^"]*)"/gu)]
        // Prometheus adds these itself.
        .filter(([, label]) => label !== 'job' && label !== 'instance')
        .filter(
          ([, label = '', , value]) =>
            !samples.some((sample) => sample.name === name && sample.labels[label] === value),
        )
        .map(([matcher]) => `${name}{${matcher}}`),
    )
    expect(unknown).toEqual([])
  })
})

it('the board leaves no two panels on the same place', () => {
  const places = board.panels.map(({ gridPos }) => `${gridPos['x']} ${gridPos['y']}`)
  expect(new Set(places).size).toBe(board.panels.length)
  for (const { gridPos } of board.panels)
    expect((gridPos['x'] ?? 0) + (gridPos['w'] ?? 0)).toBeLessThanOrEqual(24)
})

// Debian's package prometheus has it; .ci/run installs it.
describe.runIf(hasPromtool)('promtool', () => {
  const promtool = (...args: string[]): string => {
    const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' })
    return status === 0 ? 'accepted' : `${stdout}${stderr}`
  }

  it('accepts the alert rules', () => {
    expect(promtool('check', 'rules', `${folder}/alerts.yml`)).toBe('accepted')
  })

  it('raises the alerts when what they are for happens, and not otherwise', () => {
    expect(promtool('test', 'rules', `${folder}/alerts.test.yml`)).toBe('accepted')
  })

  it('accepts every query of the board', () => {
    // Grafana fills in the interval.
    const queries = boardQueries.replaceAll('$__rate_interval', '1m').split('\n')
    const recorded = queries.map((expr, index) => ({ record: `board:query${index}`, expr }))
    const file = join(mkdtempSync(join(tmpdir(), 'tableside-board-')), 'rules.yml')
    onTestFinished(() => rmSync(dirname(file), { recursive: true }))
    // YAML contains JSON.
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'board', rules: recorded }] }))
    expect(promtool('check', 'rules', file)).toBe('accepted')
  })
})
