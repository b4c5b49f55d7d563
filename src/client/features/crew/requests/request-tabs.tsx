import { type JSX, memo, type ReactNode, useCallback, useMemo } from 'react'
import { keysOf } from '#contract/keys-of.ts'
import type { ServiceRequest } from '#contract/requests/requests.ts'
import { useMarked } from '../../../lib/hooks/use-marked.ts'
import { plural, t } from '../../../lib/texts/translate.ts'
import { Tabs } from '../../../ui/tabs.tsx'
import { useShortcuts } from '../gestures/use-shortcuts.ts'
import { type HeatTimes, heatTimes, useHeat } from '../heat.ts'

export const tabs = {
  all: 'All',
  drinks: 'Drinks',
  food: 'Food',
  check: 'Check',
  assistance: 'Help',
  other: 'Other',
} as const
export type Tab = keyof typeof tabs
export const tabNames = keysOf(tabs)

type RequestTabsProps = {
  open: readonly ServiceRequest[]
  value: Tab
  /** Called after the tap or key has been painted. */
  onChange: (tab: Tab) => void
  frame: (row: JSX.Element) => ReactNode
  children: ReactNode
}

/**
 * They stay in view and count: how many wait for each service, and how long the first of them does. The row marks the
 * tab of a tap or key by itself; the list follows in a later frame.
 */
export function RequestTabs({ open, value, onChange, ...rest }: RequestTabsProps): JSX.Element {
  const [marked, choose] = useMarked(value, onChange)
  useShortcuts(
    useCallback(
      (command) => {
        if (command.type === 'tab') choose(tabNames[command.index] ?? 'all')
        return command.type === 'tab'
      },
      [choose],
    ),
  )
  const faces = useMemo(() => {
    const byType = Map.groupBy(open, ({ serviceType }) => serviceType)
    return tabNames.map((value) => {
      const requests = value === 'all' ? open : (byType.get(value) ?? [])
      const { length: count } = requests
      return {
        value,
        label: <TabFace word={t(tabs[value])} count={count} {...heatTimes(requests)} />,
        description: plural(count, '{count} open', '{count} open'),
      }
    })
  }, [open])
  return <Tabs label={t('Filter requests')} equal tabs={faces} value={marked} onChange={choose} {...rest} />
}

/** The count is not part of the tab's name, which stays. */
const TabFace = memo(function TabFace({
  word,
  count,
  ...times
}: HeatTimes & { word: string; count: number }): JSX.Element {
  const heat = useHeat(times)
  return (
    <>
      <b aria-hidden data-none={count === 0 || undefined}>
        {count}
      </b>
      <span>{word}</span>
      <i aria-hidden data-heat={heat} />
    </>
  )
})
