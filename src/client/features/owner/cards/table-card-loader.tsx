import type { JSX } from 'react'
import { api } from '#contract/api.ts'
import type { TableCard } from '#contract/floor/qr.ts'
import { nameKey } from '#contract/primitives.ts'
import { ApiError, errorMessage } from '../../../api/http.ts'
import { useApiCache, useFreshApiQuery } from '../../../api/queries.ts'
import { useSession } from '../../../api/session.ts'
import { t } from '../../../lib/texts/translate.ts'
import { LoadError } from '../../../ui/page/load-error.tsx'
import { Spinner } from '../../../ui/page/spinner.tsx'
import { NoTables } from '../no-tables.tsx'
import { SubscriptionRequired } from '../subscription/subscription-required.tsx'
import { useSignInRedirectOn } from '../use-sign-in-redirect.ts'

export type LoadedCards = {
  cards: readonly TableCard[]
  restaurantName: string
  /** Of this name and the former ones. */
  nameKeys: readonly string[]
}

/** The cards of all tables, or what is in the way. */
export function TableCardLoader({
  children,
}: {
  children: (loaded: LoadedCards) => JSX.Element
}): JSX.Element {
  const session = useSession()
  const restaurantName = session.state === 'signed-in' ? (session.user.restaurantName ?? '') : ''
  // A browser logs the refusal as an error.
  const isUnpaid = session.state === 'signed-in' && session.user.subscriptionStatus === 'inactive'
  const { data, error } = useFreshApiQuery(api.qr.sheet, isUnpaid ? null : {})
  if (isUnpaid) return <SubscriptionRequired />
  if (!data) return error ? <SheetError error={error} /> : <Spinner />
  return data.cards.length === 0 ? (
    <NoTables>{t('Set up your tables first: every table gets a card.')}</NoTables>
  ) : (
    children({ cards: data.cards, restaurantName, nameKeys: data.nameKeys ?? [nameKey(restaurantName)] })
  )
}

function SheetError({ error }: { error: Error }): JSX.Element {
  const { invalidate } = useApiCache()
  if (useSignInRedirectOn(error)) return <Spinner />
  if (error instanceof ApiError && error.code === 'payment_required') return <SubscriptionRequired />
  return (
    <LoadError
      message={errorMessage(error, 'The table cards could not be loaded.')}
      onRetry={() => invalidate(api.qr.sheet)}
    />
  )
}
