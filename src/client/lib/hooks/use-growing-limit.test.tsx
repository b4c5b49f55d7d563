// @vitest-environment jsdom
import { renderHook, waitFor } from '@testing-library/react'
import { expect, it } from 'vitest'
import { useGrowingLimit } from './use-growing-limit.ts'

it('renders the first rows of a long list, and then all step by step', async () => {
  const limits: number[] = []
  const { rerender } = renderHook(
    ({ count }: { count: number }) => {
      const limit = useGrowingLimit(count, { first: 12, step: 24 })
      if (limits.at(-1) !== limit) limits.push(limit)
    },
    { initialProps: { count: 50 } },
  )
  await waitFor(() => expect(limits).toEqual([12, 36, 60, 50]))
  rerender({ count: 3 })
  rerender({ count: 20 })
  await waitFor(() => expect(limits.slice(4)).toEqual([12, 36, 20]))
})
