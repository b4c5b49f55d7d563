import { createContext, type JSX, type ReactNode, use, useCallback } from 'react'
import { api } from '#contract/api.ts'
import { CrewName } from '#contract/crew/crew.ts'
import { Section } from '#contract/floor/sections.ts'
import { parse } from '#contract/parse.ts'
import { TableNumber, textField } from '#contract/primitives.ts'
import { ApiError, call } from '../../../api/http.ts'
import { useApiCache } from '../../../api/queries.ts'
import { tRich } from '../../../lib/texts/translate-rich.ts'
import { t } from '../../../lib/texts/translate.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialogs/dialog.tsx'
import { useDialog } from '../../../ui/dialogs/use-dialog.ts'
import { Field } from '../../../ui/form/field.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { useToast } from '../../../ui/toast/toast.tsx'
import { useBroadcast } from '../use-broadcast.ts'
import { useReportError } from '../use-report-error.ts'
import { type Deleted, deletedName, deletedRoutes } from './deleted-items.ts'

type NewNames = { name?: string; username?: string }
/** Its number, name or username belongs to something else by now. */
type Question = Deleted & { asked: keyof NewNames; chosen: NewNames; nextControl: NextControl | undefined }

/** Where the focus goes once it is restored, if the control that restores it goes. */
type NextControl = () => HTMLElement | null
type Restore = (deleted: Deleted, nextControl?: NextControl) => Promise<void>

const RestoreContext = createContext<Restore>(() => Promise.resolve())

/** Restores what was deleted, and asks for another name where its own is taken. Throws all other errors. */
export const useRestore = (): Restore => use(RestoreContext)

export function RestoreProvider({ children }: { children: ReactNode }): JSX.Element {
  const { subject: question, open: ask, close, props } = useDialog<Question>()
  const { invalidate } = useApiCache()
  const { toast } = useToast()
  const broadcastChange = useBroadcast('floor', () => {
    void invalidate(...Object.values(deletedRoutes))
  })
  const restore = useCallback(
    async (deleted: Deleted, nextControl?: NextControl, chosen: NewNames = {}): Promise<void> => {
      let isBackAlready = false
      try {
        await callRestore(deleted, chosen)
      } catch (error) {
        const asked = takenName(error)
        isBackAlready = error instanceof ApiError && error.code === 'already_restored'
        // Asked before: the form says what is wrong with the answer.
        if (!isBackAlready && (!asked || chosen[asked] !== undefined)) throw error
        if (asked) return ask({ ...deleted, asked, chosen, nextControl })
      }
      broadcastChange()
      // Before the dialog closes, so that it finds where the focus goes.
      await invalidate(...routesOf[deleted.kind])
      close()
      toast(
        isBackAlready
          ? { title: t('{name} is back already', { name: deletedName(deleted) }) }
          : {
              title: t('Success'),
              description: t('{name} is back', { name: deletedName({ ...deleted, ...chosen }) }),
            },
      )
    },
    [invalidate, toast, broadcastChange, ask, close],
  )
  return (
    <RestoreContext value={restore}>
      {children}
      <Dialog
        title={
          question ? tRich('Restore {name}', { name: <bdi>{deletedName(question)}</bdi> }) : t('Restore')
        }
        description={question && t(explanationOf(question))}
        {...props}
        {...(question?.nextControl && { finalFocus: question.nextControl })}
      >
        {question && (
          <RenameForm
            key={`${question.id} ${question.asked}`}
            question={question}
            onCancel={close}
            onNamed={(chosen) => restore(question, question.nextControl, chosen)}
          />
        )}
      </Dialog>
    </RestoreContext>
  )
}

const explanations = {
  table: 'Another table has this number now. Which one should it come back with?',
  section: 'Another section has this name now. Which one should it come back with?',
  name: 'Another crew member has this name now. Under which one should this one come back?',
  username: 'Somebody else has this username now. Which one should it be instead?',
}

const explanationOf = ({ kind, asked }: Question): string =>
  explanations[kind === 'table' || kind === 'section' ? kind : asked]

function takenName(error: unknown): keyof NewNames | null {
  if (!(error instanceof ApiError)) return null
  if (error.code === 'name_taken') return 'name'
  return error.code === 'username_taken' ? 'username' : null
}

async function callRestore({ kind, id }: Deleted, { name, username }: NewNames): Promise<void> {
  const params = { id }
  const login = { ...(username !== undefined && { username }) }
  if (kind === 'manager') await call(api.managers.restore, { params, body: login })
  else if (kind === 'section')
    await call(api.sections.restore, { params, body: { ...(name !== undefined && { name }) } })
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
  table: [floor.tables, deletedRoutes.table, floor.assignmentsByDate, tables.plan, tableButtons.list],
  section: [deletedRoutes.section, tables.plan],
  crew: [crew.list, deletedRoutes.crew, floor.assignmentsByDate, tables.plan],
  manager: [managers.currentUser, deletedRoutes.manager],
}

const nameSchemas = { table: TableNumber, section: Section.entries.name, crew: CrewName, manager: CrewName }
const nameLabels = {
  table: 'Table Number',
  section: 'Section Name',
  crew: 'Crew Member Name',
  manager: 'Username',
}

type RenameFormProps = {
  question: Question
  onCancel: () => void
  onNamed: (chosen: NewNames) => Promise<void>
}

function RenameForm({ question, onCancel, onNamed }: RenameFormProps): JSX.Element {
  const { kind, name, asked, chosen } = question
  const reportError = useReportError()
  const schema = asked === 'username' ? textField('Please enter a username', 80) : nameSchemas[kind]
  const form = useForm({
    initial: { name: asked === 'name' || kind === 'manager' ? name : '' },
    parse(values) {
      const parsed = parse(schema, values.name)
      return parsed.ok ? parsed : { ...parsed, field: 'name' as const }
    },
    submit: (value) => onNamed({ ...chosen, [asked]: value }),
    onError: (error) => reportError(error, 'Failed to restore'),
  })
  const label = asked === 'username' ? 'Username' : nameLabels[kind]
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
