// @vitest-environment jsdom
import { act, renderHook } from '@testing-library/react'
import { expect, it } from 'vitest'
import { usePush } from './use-push.ts'

it('does nothing in a browser without push', async () => {
  const { result } = renderHook(() => usePush('maya', 'crew'))
  expect(result.current.push).toEqual({ state: 'unsupported' })
  await act(async () => {
    expect(await result.current.switchOn()).toEqual({ state: 'unsupported' })
    await result.current.switchOff()
  })
  expect(result.current.push).toEqual({ state: 'unsupported' })
})
