import { QueryObserver } from '@tanstack/react-query'
import { afterEach, expect, it, vi } from 'vitest'
import { api } from '#contract/api.ts'
import { createQueryClient, invalidateRoutes, queryFor } from './queries.ts'

afterEach(() => vi.unstubAllGlobals())

const crewNamed = (name: string): Response => Response.json([{ id: 'maya', name, role: 'Server' }])

it('reads again what changed while it was read for the first time', async () => {
  const answers: PromiseWithResolvers<Response>[] = []
  vi.stubGlobal('fetch', async () => {
    const answer = Promise.withResolvers<Response>()
    answers.push(answer)
    return await answer.promise
  })
  const client = createQueryClient()
  const observer = new QueryObserver(client, queryFor(api.crew.list, {}))
  const stop = observer.subscribe(() => {})
  await expect.poll(() => answers.length).toBe(1)
  const invalidated = invalidateRoutes(client, [api.crew.list])
  answers[0]?.resolve(crewNamed('Maya'))
  await expect.poll(() => answers.length).toBe(2)
  answers[1]?.resolve(crewNamed('Maja'))
  await invalidated
  expect(observer.getCurrentResult().data).toEqual([{ id: 'maya', name: 'Maja', role: 'Server' }])
  expect(answers).toHaveLength(2)
  stop()
  client.clear()
})
