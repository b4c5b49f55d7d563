import type { JSX } from 'react'
import type { OwnSession } from '#contract/accounts/devices.ts'
import { api } from '#contract/api.ts'
import { call } from '../../api/http.ts'
import { useFreshApiQuery } from '../../api/queries.ts'
import { useFocusAfterRemoval } from '../../lib/hooks/use-focus-after-removal.ts'
import { t } from '../../lib/texts/translate.ts'
import { useNow } from '../../lib/time/use-now.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { LoadingOrError } from '../../ui/page/load-error.tsx'
import { useFold } from '../../ui/page/use-fold.tsx'
import { deviceName } from './device-name.ts'
import { lastUsedText } from './last-used-text.ts'
import { ListRow } from './list-row.tsx'
import { signedInText, uniqueName } from './signed-in-text.ts'
import { useChange } from './use-change.ts'

/** More are shown on demand. */
const maxShown = 3

/** The browsers in which this owner or manager is signed in. */
export function SessionsCard(): JSX.Element {
  const { data, isError, refetch } = useFreshApiQuery(api.sessions.list, {})
  const [busy, change] = useChange()
  const others = data?.filter(({ isThisBrowser }) => !isThisBrowser) ?? []

  const signOut = (send: () => Promise<unknown>, successMessage: string): void =>
    void change({
      send,
      successMessage,
      errorMessage: 'It could not be signed out',
      refreshes: [api.sessions.list],
    })

  return (
    <Card
      title={t('Your sign-ins')}
      anchor="sign-ins"
      description={t(
        'Browsers in which you are signed in yourself. Signing one out leaves it a device of your crew.',
      )}
      action={
        others.length > 0 && (
          <Button
            pending={busy}
            onClick={() =>
              signOut(async () => await call(api.sessions.signOutOthers), 'All others were signed out')
            }
          >
            {t('Sign out all others')}
          </Button>
        )
      }
    >
      {data ? (
        <Sessions
          sessions={data}
          busy={busy}
          signOut={({ id, name }) =>
            signOut(
              async () => await call(api.sessions.signOut, { params: { id } }),
              t('{name} was signed out', { name }),
            )
          }
        />
      ) : (
        <LoadingOrError failed={isError} onRetry={refetch} />
      )}
    </Card>
  )
}

type SessionsProps = {
  sessions: readonly OwnSession[]
  busy: boolean
  signOut: (session: OwnSession) => void
}

function Sessions({ sessions, busy, signOut }: SessionsProps): JSX.Element {
  const now = useNow(60_000)
  const { container: listRef, markRemoved } = useFocusAfterRemoval<HTMLUListElement>(sessions, 'li button')
  const { shown, toggle } = useFold(sessions, maxShown)
  return (
    <>
      <ul ref={listRef} aria-label={t('Your sign-ins')} className="flex flex-col divide-y divide-rule">
        {shown.map((session, index) => (
          <ListRow
            key={session.id}
            name={deviceName(session.name)}
            badges={session.isThisBrowser && <Badge>{t('This browser')}</Badge>}
            details={`${lastUsedText(session.lastUsedAt, now)} · ${signedInText(session.signedInAt)}`}
          >
            {!session.isThisBrowser && (
              <Button
                variant="quiet"
                disabled={busy}
                aria-label={t('Sign out {name}', { name: uniqueName(session, sessions) })}
                onClick={() => {
                  markRemoved(session, index)
                  signOut(session)
                }}
              >
                {t('Sign out')}
              </Button>
            )}
          </ListRow>
        ))}
      </ul>
      {toggle}
    </>
  )
}
