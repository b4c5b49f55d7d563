import { expect, it } from 'vitest'
import { type Action, followPicture, pauseIn, startPicture } from './picture-flow.ts'

const after = (actions: Action[], start = startPicture(false)) => actions.reduce(followPicture, start)

it('plays once by itself, from the call to the answer', () => {
  const states = [[], ['proceed'], ['proceed', 'proceed'], ['proceed', 'proceed', 'proceed']] as Action[][]
  expect(states.map((actions) => after(actions).state)).toEqual(['asks', 'sent', 'seen', 'answered'])
  expect(states.map((actions) => pauseIn(after(actions)) !== null)).toEqual([true, true, true, false])
})

it('waits to be pressed by people who prefer less motion', () => {
  const still = startPicture(true)
  expect(pauseIn(still)).toBeNull()
  const seen = after(['call', 'proceed'], still)
  expect([seen.state, pauseIn(seen)]).toEqual(['seen', null])
})

it('works once somebody has pressed a button', () => {
  expect(after(['proceed', 'proceed', 'call'])).toEqual({ state: 'sent', asks: 1, playsAlone: false })
  expect(after(['call', 'proceed', 'call'])).toEqual({ state: 'seen', asks: 2, playsAlone: false })
  expect(after(['call', 'proceed', 'accept']).state).toBe('answered')
  expect(after(['call', 'proceed', 'accept', 'release']).state).toBe('seen')
  expect(after(['call', 'proceed', 'complete']).state).toBe('done')
  expect(after(['call', 'proceed', 'accept', 'complete', 'call'])).toMatchObject({ state: 'sent', asks: 1 })
})
