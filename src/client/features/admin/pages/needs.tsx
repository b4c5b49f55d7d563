import type { JSX } from 'react'
import { api } from '#contract/api.ts'
import { useFreshApiQuery } from '../../../api/queries.ts'
import { t } from '../../../lib/texts/translate.ts'
import { AdminFrame } from '../frame.tsx'
import { Loaded } from '../loaded.tsx'
import { NeedsSettings } from '../needs/needs-settings.tsx'

/** What guests can ask for. */
export const NeedsPage = (): JSX.Element => <AdminFrame section="needs">{() => <Needs />}</AdminFrame>

function Needs(): JSX.Element {
  const needs = useFreshApiQuery(api.needs.state, {})
  return (
    <Loaded title={t('Needs')} query={needs}>
      {({ needs: saved }) => <NeedsSettings saved={saved} />}
    </Loaded>
  )
}
