import { createContext, type JSX, type ReactNode, use, useCallback, useState } from 'react'
import { api } from '#contract/api.ts'
import { CrewName } from '#contract/crew/crew.ts'
import { parse } from '#contract/parse.ts'
import { TableNumber, textField } from '#contract/primitives.ts'
import { ApiError, call } from '../../../api/http.ts'
import { useApiCache } from '../../../api/queries.ts'
import { t } from '../../../lib/texts/translate.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialogs/dialog.tsx'
import { Field } from '../../../ui/form/field.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { useToast } from '../../../ui/toast/toast.tsx'
import { useBroadcast } from '../use-broadcast.ts'
import { useReportError } from '../use-report-error.ts'

/** Something that was deleted in the last 30 days. */
export type Deleted = { kind: 'table' | 'crew' | 'manager'; id: string; name: string }

type NewNames = { name?: string; username?: string }
/** Its number, name or username belongs to something else by now. */
type Question = Deleted & { asked: keyof NewNames; chosen: NewNames }

const RestoreContext = createContext<(deleted: Deleted) => Promise<void>>(() => Promise.resolve())

/** Restores what was deleted, and asks for another name where its own is taken. Throws all other errors. */
export const useRestore = (): ((deleted: Deleted) => Promise<void>) => use(RestoreContext)

export function RestoreProvider({ children }: { children: ReactNode }): JSX.Element {
  const [question, setQuestion] = useState<Question | null>(null)
  const [isOpen, setOpen] = useState(false)
  const { invalidate } = useApiCache()
  const { toast } = useToast()
  const broadcastChange = useBroadcast('floor', ignore)
  const restore = useCallback(
    async (deleted: Deleted, chosen: NewNames = {}): Promise<void> => {
      try {
        await callRestore(deleted, chosen)
      } catch (error) {
        const asked = takenName(error)
        // Asked before: the form says what is wrong with the answer.
        if (!asked || chosen[asked] !== undefined) throw error
        setQuestion({ ...deleted, asked, chosen })
        return setOpen(true)
      }
      setOpen(false)
      toast({
        title: t('Success'),
        description: t('{name} is back', { name: nameOf({ ...deleted, ...chosen }) }),
      })
      broadcastChange()
      await invalidate(...routesOf[deleted.kind])
    },
    [invalidate, toast, broadcastChange],
  )
  return (
    <RestoreContext value={restore}>
      {children}
      <Dialog
        title={question ? t('Restore {name}', { name: nameOf(question) }) : t('Restore')}
        description={question && t(explanations[question.kind === 'table' ? 'table' : question.asked])}
        open={isOpen}
        onOpenChange={setOpen}
      >
        {question && (
          <RenameForm
            key={`${question.id} ${question.asked}`}
            question={question}
            onCancel={() => setOpen(false)}
            onNamed={(chosen) => restore(question, chosen)}
          />
        )}
      </Dialog>
    </RestoreContext>
  )
}

const ignore = (): void => undefined

const explanations = {
  table: 'Another table has this number now. Which one should it come back with?',
  name: 'Another crew member has this name now. Under which one should this one come back?',
  username: 'Somebody else has this username now. Which one should it be instead?',
}

const nameOf = ({ kind, name }: Pick<Deleted, 'kind' | 'name'>): string =>
  kind === 'table' ? t('Table {table}', { table: name }) : name

function takenName(error: unknown): keyof NewNames | null {
  if (!(error instanceof ApiError)) return null
  if (error.code === 'name_taken') return 'name'
  return error.code === 'username_taken' ? 'username' : null
}

async function callRestore({ kind, id }: Deleted, { name, username }: NewNames): Promise<void> {
  const params = { id }
  const login = { ...(username !== undefined && { username }) }
  if (kind === 'manager') await call(api.managers.restore, { params, body: login })
  else if (kind === 'crew')
    await call(api.crew.restore, { params, body: { ...(name !== undefined && { name }), ...login } })
  else
    await call(api.floor.restoreTable, {
      params,
      body: { ...(name !== undefined && { tableNumber: name }) },
    })
}

const { floor, crew, managers, tables, tableButtons } = api
const routesOf = {
  table: [floor.tables, floor.deletedTables, floor.assignmentsByDate, tables.plan, tableButtons.list],
  crew: [crew.list, crew.deleted, floor.assignmentsByDate, tables.plan],
  manager: [managers.currentUser, managers.deleted],
}

type RenameFormProps = {
  question: Question
  onCancel: () => void
  onNamed: (chosen: NewNames) => Promise<void>
}

function RenameForm({ question, onCancel, onNamed }: RenameFormProps): JSX.Element {
  const { kind, name, asked, chosen } = question
  const reportError = useReportError()
  const schema =
    kind === 'table' ? TableNumber : asked === 'name' ? CrewName : textField('Please enter a username', 80)
  const form = useForm({
    initial: { name: asked === 'name' || kind === 'manager' ? name : '' },
    parse(values) {
      const parsed = parse(schema, values.name)
      return parsed.ok ? parsed : { ...parsed, field: 'name' as const }
    },
    submit: (value) => onNamed({ ...chosen, [asked]: value }),
    onError: (error) => reportError(error, 'Failed to restore'),
  })
  const label = kind === 'table' ? 'Table Number' : asked === 'name' ? 'Crew Member Name' : 'Username'
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <Field label={t(label)} autoComplete="off" {...form.field('name')} />
      <div className="flex flex-wrap justify-end gap-3">
        <Button onClick={onCancel}>{t('Cancel')}</Button>
        <Button type="submit" variant="primary" pending={form.busy} pendingLabel={t('Restoring…')}>
          {t('Restore')}
        </Button>
      </div>
    </form>
  )
}
