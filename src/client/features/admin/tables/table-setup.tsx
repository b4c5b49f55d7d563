import { type JSX } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import { CustomTableNames } from './custom-table-names.tsx'
import { NumberField, FieldPair } from './number-fields.tsx'
import { type TableSetupProps, useTableSetup } from './use-table-setup.ts'

const setupKinds = [
  { value: 'count', label: 'By Count' },
  { value: 'range', label: 'By Range' },
  { value: 'custom', label: 'Custom' },
] as const

/** Adds the tables that are missing; those that exist stay. */
export function TableSetup(props: TableSetupProps): JSX.Element {
  const { form, kind, setKind, count, setCount, range, setRange, custom, problem, busy, submit } =
    useTableSetup(props)
  return (
    <Card title="Table Setup" level={3} description="Tables that exist already stay as they are.">
      <form ref={form} onSubmit={submit} noValidate className="flex flex-col gap-4">
        <Tabs label="Table Setup" tabs={setupKinds} value={kind} onChange={setKind}>
          <div className="flex max-w-xl flex-col gap-4 pt-1">
            {kind === 'count' && (
              <NumberField label="Number of Tables" value={count} onValue={setCount} error={problem} />
            )}
            {kind === 'range' && (
              <FieldPair problem={problem}>
                {(problemId) => (
                  <>
                    <NumberField
                      label="Start"
                      value={range.start}
                      onValue={(start) => setRange({ ...range, start })}
                      problemId={problemId}
                    />
                    <NumberField
                      label="End"
                      value={range.end}
                      onValue={(end) => setRange({ ...range, end })}
                      problemId={problemId}
                    />
                  </>
                )}
              </FieldPair>
            )}
            {kind === 'custom' && <CustomTableNames {...custom} problem={problem} />}
            <div>
              <Button type="submit" variant="primary" pending={busy} pendingLabel="Setting up…">
                Set Up Tables
              </Button>
            </div>
          </div>
        </Tabs>
      </form>
    </Card>
  )
}
