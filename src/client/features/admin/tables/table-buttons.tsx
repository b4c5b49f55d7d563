import { type JSX, useState } from 'react'
import { api } from '#contract/api.ts'
import type { Table } from '#contract/floor/floor.ts'
import { parse } from '#contract/parse.ts'
import { NewTableButton, type TableButton } from '#contract/requests/buttons.ts'
import type { Need } from '#contract/requests/needs.ts'
import { type ServiceType, serviceTypeLabels, serviceTypes } from '#contract/requests/requests.ts'
import { call } from '../../../api/http.ts'
import { useApiCache, useFreshApiQuery } from '../../../api/queries.ts'
import { ownWords } from '../../../lib/texts/asked-text.ts'
import { t } from '../../../lib/texts/translate.ts'
import { formatDate } from '../../../lib/time/dates.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { SelectField } from '../../../ui/form/select-field.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { LoadingOrError } from '../../../ui/page/load-error.tsx'
import { NewToken } from '../new-token.tsx'
import { RevocableList } from '../revocable-list.tsx'
import { useReportError } from '../use-report-error.ts'

type Made = { button: TableButton; token: string }

/** As the restaurant calls it; a button of a need that it no longer has asks for Other. */
function needOf({ serviceType, need }: TableButton, needs: readonly Need[]): string {
  const found = needs.find(({ id }) => id === (need ?? serviceType))
  return found ? nameOf(found) : t(serviceTypeLabels[serviceType])
}

const nameOf = ({ id, name }: Need): string => (name ? ownWords(name) : t(serviceTypeLabels[typeOf(id)]))

const typeOf = (id: string): ServiceType => serviceTypes.find((type) => type === id) ?? 'other'

/** Network buttons and scripts that ask for something at a table without a phone. */
export function TableButtons({ tables }: { tables: readonly Table[] }): JSX.Element {
  const { data, isError, refetch } = useFreshApiQuery(api.tableButtons.list, {})
  const arranged = useFreshApiQuery(api.needs.state, {})
  const needs = arranged.data?.needs
  const { getData, setData, invalidate } = useApiCache()
  const [made, setMade] = useState<Made | null>(null)
  const numbers = new Map(tables.map(({ id, tableNumber }) => [id, tableNumber]))
  const labelOf = (button: TableButton): string =>
    t('Table {table}: {need}', {
      table: numbers.get(button.tableId) ?? '',
      need: needOf(button, needs ?? []),
    })
  const change = (next: (current: TableButton[]) => TableButton[]): void =>
    setData(api.tableButtons.list, {}, next(getData(api.tableButtons.list, {}) ?? []))
  return (
    <Card
      title={t('Table Buttons')}
      level={3}
      description={t('A network button or a script at a table asks for one thing with one call.')}
    >
      {data && needs ? (
        <>
          {/* A deleted table took its buttons along. */}
          <ButtonList
            buttons={data.filter(({ tableId }) => numbers.has(tableId))}
            labelOf={labelOf}
            onRevoked={(id) => {
              change((current) => current.filter((button) => button.id !== id))
              setMade((current) => (current?.button.id === id ? null : current))
            }}
          />
          {made && <MadeButton label={labelOf(made.button)} token={made.token} />}
          <MakeButton
            {...{ tables, needs }}
            onMade={(button, token) => {
              change((current) => [...current, button])
              setMade({ button, token })
              // One before it may have been made without an answer.
              void invalidate(api.tableButtons.list)
            }}
          />
        </>
      ) : (
        <LoadingOrError
          failed={isError || arranged.isError}
          onRetry={() => {
            void refetch()
            void arranged.refetch()
          }}
        />
      )}
    </Card>
  )
}

type ButtonListProps = {
  buttons: TableButton[]
  labelOf: (button: TableButton) => string
  onRevoked: (id: string) => void
}

function ButtonList({ buttons, labelOf, onRevoked }: ButtonListProps): JSX.Element {
  return (
    <RevocableList
      entries={buttons}
      label={t('Table Buttons')}
      noneYet={t('No buttons yet.')}
      nameOf={labelOf}
      renderDetails={({ pressedAt }) => (
        <p>
          {pressedAt === null
            ? t('Never pressed')
            : t('Last pressed {time}', {
                time: formatDate(pressedAt, { dateStyle: 'medium', timeStyle: 'short' }),
              })}
        </p>
      )}
      title={t('Revoke this button?')}
      describe={(button) =>
        t('{button}. Its token stops working at once, and cannot be restored.', { button })
      }
      revoke={async ({ id }) => {
        await call(api.tableButtons.remove, { params: { id } })
        onRevoked(id)
      }}
      revokedMessage={() => t('Button revoked')}
      errorMessage="Failed to revoke the button"
    />
  )
}

function MadeButton({ label, token }: { label: string; token: string }): JSX.Element {
  const command = `curl ${location.origin}/api/buttons/press -H 'content-type: application/json' -d '${JSON.stringify({ token })}'`
  return (
    <NewToken
      token={token}
      title={`${label}.`}
      warning={t('Save the token now: it is shown only this once. Whoever has it can ask as this table.')}
      actions={<CopyButton text={command}>{t('Copy Command')}</CopyButton>}
    >
      <p>{t('The button sends it in one POST, as this command does:')}</p>
      <code dir="ltr" className="rounded-control bg-plate p-3 text-base wrap-anywhere select-all">
        {command}
      </code>
    </NewToken>
  )
}

type MakeButtonProps = {
  tables: readonly Table[]
  needs: readonly Need[]
  onMade: (button: TableButton, token: string) => void
}

function MakeButton({ tables, needs, onMade }: MakeButtonProps): JSX.Element {
  const reportError = useReportError()
  const form = useForm({
    initial: { tableId: tables[0]?.id ?? '', need: needs[0]?.id ?? '' },
    parse: ({ tableId, need }) => {
      const serviceType = typeOf(need)
      return parse(NewTableButton, { tableId, serviceType, ...(serviceType !== need && { need }) })
    },
    async submit(body) {
      const { button, token } = await call(api.tableButtons.add, { body })
      onMade(button, token)
    },
    onError: (error) => reportError(error, 'Failed to make the button'),
  })
  return (
    <form {...form.props} className="grid items-end gap-4 sm:grid-cols-[1fr_1fr_auto]">
      <SelectField label={t('Button at Table')} {...form.field('tableId')}>
        {tables.map(({ id, tableNumber }) => (
          <option key={id} value={id}>
            {tableNumber}
          </option>
        ))}
      </SelectField>
      <SelectField label={t('Asks for')} {...form.field('need')}>
        {needs.map((need) => (
          <option key={need.id} value={need.id}>
            {nameOf(need)}
          </option>
        ))}
      </SelectField>
      <Button type="submit" variant="primary" pending={form.busy} pendingLabel={t('Making…')}>
        {t('Make Button')}
      </Button>
    </form>
  )
}
