import { type JSX, useId, useState } from 'react'
import type { Table } from '#contract/floor/floor.ts'
import { t } from '../../../lib/texts/translate.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Field, type FieldProps } from '../../../ui/form/field.tsx'
import { type Form, useForm } from '../../../ui/form/use-form.ts'
import { Tabs } from '../../../ui/tabs.tsx'
import type { FloorActions } from '../floor-actions.ts'
import { CustomTableNames } from './custom-table-names.tsx'
import { parseName, parseSetup, type SetupForm, type SetupKind } from './table-setup-form.ts'

const setupKinds = [
  { value: 'count', label: 'By Count' },
  { value: 'range', label: 'By Range' },
  { value: 'custom', label: 'Custom' },
] as const

const initial: SetupForm = { count: '10', start: '1', end: '10', name: '' }

type TableSetupProps = {
  tables: readonly Table[]
  setUp: FloorActions['setUp']
  onDone: () => void
}

/** Adds the tables that are missing; those that exist stay. */
export function TableSetup({ tables, setUp, onDone }: TableSetupProps): JSX.Element {
  const [kind, setKind] = useState<SetupKind>('count')
  const [listed, setListed] = useState<readonly string[]>([])
  const names = { listed, existing: tables.map(({ tableNumber }) => tableNumber) }
  const form = useForm({
    initial,
    parse: (values) => parseSetup(kind, values, names),
    async submit(setup, { values, reset }) {
      if ((await setUp(setup)) === 'failed') return
      setListed([])
      reset({ ...values, name: '' })
      onDone()
    },
  })

  function choose(next: SetupKind): void {
    setKind(next)
    // What was wrong with the other kind.
    form.reset(form.values)
  }

  function addName(): void {
    const added = parseName(form.values.name, names)
    if (!added.ok) return form.showIssue({ field: 'name', message: added.message })
    setListed([...listed, added.value])
    form.reset({ ...form.values, name: '' })
  }

  return (
    <Card title={t('Table Setup')} level={3} description={t('Tables that exist already stay as they are.')}>
      <form {...form.props} className="flex flex-col gap-4">
        <Tabs
          label={t('Table Setup')}
          tabs={setupKinds.map((each) => ({ ...each, label: t(each.label) }))}
          value={kind}
          onChange={choose}
        >
          <div className="flex max-w-xl flex-col gap-4 pt-1">
            {kind === 'count' && <NumberField label={t('Number of Tables')} {...form.field('count')} />}
            {kind === 'range' && <RangeFields form={form} />}
            {kind === 'custom' && (
              <CustomTableNames
                field={form.field('name')}
                names={listed}
                onAdd={addName}
                onRemove={(name) => setListed(listed.filter((other) => other !== name))}
              />
            )}
            <div>
              <Button type="submit" variant="primary" pending={form.busy} pendingLabel={t('Setting up…')}>
                {t('Set Up Tables')}
              </Button>
            </div>
          </div>
        </Tabs>
      </form>
    </Card>
  )
}

/** Two numbers that share one error. */
function RangeFields({ form }: { form: Form<SetupForm> }): JSX.Element {
  const id = useId()
  const { start: problem } = form.errors
  const shared = { error: null, problemId: problem === undefined ? undefined : id }
  return (
    <div>
      <div className="grid grid-cols-2 gap-4">
        <NumberField label={t('Start')} {...form.field('start')} {...shared} />
        <NumberField label={t('End')} {...form.field('end')} {...shared} />
      </div>
      <p id={id} aria-live="polite" className="font-semibold text-late not-empty:mt-1">
        {problem && t(problem)}
      </p>
    </div>
  )
}

function NumberField(props: FieldProps): JSX.Element {
  return <Field {...props} inputMode="numeric" autoComplete="off" maxLength={9} />
}
