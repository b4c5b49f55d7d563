import { type JSX, useMemo } from 'react'
import { useSearch } from 'wouter'
import { api } from '#contract/api.ts'
import { useFreshApiQuery } from '../../../api/queries.ts'
import { t } from '../../../lib/texts/translate.ts'
import { useErrorToastWhen } from '../../../ui/toast/toast.tsx'
import { crewActions } from '../crew/crew-actions.ts'
import { CrewPanel } from '../crew/crew-panel.tsx'
import { AdminFrame } from '../frame.tsx'
import { Loaded } from '../loaded.tsx'
import { useActionContext } from '../use-floor-actions.ts'

/** Who works here, what they sign in with, and who left lately. */
export function CrewPage(): JSX.Element {
  const find = new URLSearchParams(useSearch()).get('find') ?? ''
  return <AdminFrame section="crew">{() => <Crew key={find} find={find} />}</AdminFrame>
}

function Crew({ find }: { find: string }): JSX.Element {
  const crew = useFreshApiQuery(api.crew.list, {})
  const { data: plan } = useFreshApiQuery(api.tables.plan, {})
  const context = useActionContext()
  const actions = useMemo(() => crewActions(context), [context])
  useErrorToastWhen(crew.isLoadingError, 'Failed to fetch crew members')
  return (
    <Loaded title={t('Crew')} query={crew}>
      {(members) => <CrewPanel crew={members} level={2} {...{ plan, actions, find }} />}
    </Loaded>
  )
}
