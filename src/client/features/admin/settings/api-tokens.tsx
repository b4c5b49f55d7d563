import { type JSX, useState } from 'react'
import {
  type ApiScope,
  apiScopeNames,
  apiScopes,
  type ApiToken,
  apiTokenDays,
  type CreatedApiToken,
  NewApiToken,
} from '#contract/accounts/api-tokens.ts'
import { api } from '#contract/api.ts'
import { parse } from '#contract/parse.ts'
import { call } from '../../../api/http.ts'
import { useApiCache, useFreshApiQuery } from '../../../api/queries.ts'
import { plural, t } from '../../../lib/texts/translate.ts'
import { formatDate, formatTimeAgo } from '../../../lib/time/dates.ts'
import { useNow } from '../../../lib/time/use-now.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Checkbox } from '../../../ui/form/checkbox.tsx'
import { Field } from '../../../ui/form/field.tsx'
import { SelectField } from '../../../ui/form/select-field.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { LinkButton } from '../../../ui/link-button.tsx'
import { LoadingOrError } from '../../../ui/page/load-error.tsx'
import { NewToken } from '../new-token.tsx'
import { RevocableList } from '../revocable-list.tsx'
import { useReportError } from '../use-report-error.ts'

/** With which other software acts for the restaurant. */
export function ApiTokens(): JSX.Element {
  const { data, isError, refetch } = useFreshApiQuery(api.apiTokens.list, {})
  const { getData, setData, invalidate } = useApiCache()
  const [made, setMade] = useState<CreatedApiToken | null>(null)
  const change = (next: (current: ApiToken[]) => ApiToken[]): void =>
    setData(api.apiTokens.list, {}, next(getData(api.apiTokens.list, {}) ?? []))
  return (
    <Card
      title={t('API Tokens')}
      anchor="api-tokens"
      description={t(
        'With a token, other software acts for your restaurant: a till, or a display in the kitchen.',
      )}
    >
      {data ? (
        <>
          <TokenList
            tokens={data}
            onRevoked={(id) => {
              change((current) => current.filter((token) => token.id !== id))
              setMade((current) => (current?.apiToken.id === id ? null : current))
            }}
          />
          {made && (
            <NewToken
              token={made.token}
              title={t('The token of {name}.', { name: made.apiToken.name })}
              warning={t('Save it now: it is shown only this once. Whoever has it can do what you chose.')}
            />
          )}
          <MakeToken
            onMade={(created) => {
              change((current) => [...current, created.apiToken])
              setMade(created)
              // One before it may have been made without an answer.
              void invalidate(api.apiTokens.list)
            }}
          />
        </>
      ) : (
        <LoadingOrError failed={isError} onRetry={refetch} />
      )}
      <div>
        <LinkButton href="/developers" target="_blank" rel="noopener">
          {t('What software can do with it')}
        </LinkButton>
      </div>
    </Card>
  )
}

type TokenListProps = { tokens: ApiToken[]; onRevoked: (id: string) => void }

function TokenList({ tokens, onRevoked }: TokenListProps): JSX.Element {
  const now = useNow(60_000)
  return (
    <RevocableList
      entries={tokens}
      label={t('API Tokens')}
      noneYet={t('No tokens yet.')}
      nameOf={({ name }) => name}
      renderDetails={(token) => (
        <>
          <p>{token.scopes.map((scope) => t(apiScopes[scope])).join(' · ')}</p>
          <p>{tokenDetails(token, now)}</p>
        </>
      )}
      title={t('Revoke this token?')}
      describe={(name) => t('{name} is refused at once. The token cannot be restored.', { name })}
      revoke={async ({ id }) => {
        await call(api.apiTokens.remove, { params: { id } })
        onRevoked(id)
      }}
      revokedMessage={(name) => t('The token of {name} was revoked', { name })}
      errorMessage="Failed to revoke the token"
    />
  )
}

function tokenDetails({ lastUsedAt, expiresAt }: ApiToken, now: number): string {
  const use =
    lastUsedAt === null ? t('Never used') : t('Used {time}', { time: formatTimeAgo(now - lastUsedAt) })
  if (expiresAt === null) return `${use} · ${t('without an end')}`
  const day = formatDate(expiresAt, { dateStyle: 'medium' })
  return `${use} · ${expiresAt <= now ? t('ended on {day}', { day }) : t('until {day}', { day })}`
}

function MakeToken({ onMade }: { onMade: (created: CreatedApiToken) => void }): JSX.Element {
  const reportError = useReportError()
  const [scopes, setScopes] = useState<readonly ApiScope[]>(['requests:read'])
  const form = useForm({
    initial: { name: '', days: '90' },
    parse: ({ name, days }) => parse(NewApiToken, { name, scopes, days: days === '' ? null : Number(days) }),
    async submit(body, { reset }) {
      onMade(await call(api.apiTokens.create, { body }))
      reset()
    },
    onError: (error) => reportError(error, 'Failed to make the token'),
  })
  const toggle = (scope: ApiScope): void =>
    setScopes(apiScopeNames.filter((each) => scopes.includes(each) !== (each === scope)))
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <Field
        label={t('Software')}
        hint={t('Such as “Till” or “Kitchen display”')}
        autoComplete="off"
        {...form.field('name')}
      />
      <fieldset>
        <legend className="font-semibold">{t('It may')}</legend>
        {apiScopeNames.map((scope) => (
          <Checkbox
            key={scope}
            name="scopes"
            label={t(apiScopes[scope])}
            checked={scopes.includes(scope)}
            onChange={() => toggle(scope)}
          />
        ))}
        <p aria-live="polite" className="font-semibold text-late">
          {form.errors['scopes'] && t(form.errors['scopes'])}
        </p>
      </fieldset>
      <SelectField label={t('Valid for')} {...form.field('days')}>
        {apiTokenDays.map((days) => (
          <option key={days} value={days}>
            {plural(days, '1 day', '{count} days')}
          </option>
        ))}
        <option value="">{t('Until it is revoked')}</option>
      </SelectField>
      <div>
        <Button type="submit" variant="primary" pending={form.busy} pendingLabel={t('Making…')}>
          {t('Make Token')}
        </Button>
      </div>
    </form>
  )
}
