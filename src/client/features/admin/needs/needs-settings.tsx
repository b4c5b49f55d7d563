import './needs.css'
import Plus from 'lucide-react/icons/plus'
import { type JSX, useRef, useState } from 'react'
import { api } from '#contract/api.ts'
import { isSame, keepTheirs } from '#contract/merging.ts'
import { mergeNeeds } from '#contract/requests/merge-needs.ts'
import { defaultNeeds, isOwnNeed, maxOwnNeeds, type Need } from '#contract/requests/needs.ts'
import { call } from '../../../api/http.ts'
import { useApiCache } from '../../../api/queries.ts'
import { useTask } from '../../../lib/hooks/use-task.ts'
import { ownLanguage } from '../../../lib/texts/local-texts.ts'
import { t } from '../../../lib/texts/translate.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { useDialog } from '../../../ui/dialogs/use-dialog.ts'
import { useErrorToast, useToast } from '../../../ui/toast/toast.tsx'
import { isConflict, useReportError } from '../use-report-error.ts'
import { NeedDialog } from './need-dialog.tsx'
import { NeedList } from './need-list.tsx'
import { NeedPreview } from './need-preview.tsx'
import { createNeed, moveNeed, putNeed } from './needs-draft.ts'

/** `was`: what it began with. */
type Draft = { was: readonly Need[]; needs: readonly Need[] }

/** What guests can ask for. Nothing changes for them before it is saved. */
export function NeedsSettings({ saved }: { saved: readonly Need[] }): JSX.Element {
  const [draft, setDraft] = useState<Draft | null>(null)
  const needs = draft?.needs ?? saved
  const setEdited = (edited: readonly Need[]): void =>
    setDraft((now) => ({ was: now?.was ?? saved, needs: edited }))
  const [language, setLanguage] = useState(ownLanguage)
  const [busy, run] = useTask()
  const dialog = useDialog<Need>()
  const addButton = useRef<HTMLButtonElement>(null)
  const { setData } = useApiCache()
  const { toast } = useToast()
  const showError = useErrorToast()
  const reportError = useReportError()
  const isChanged = !isSame(needs, saved)
  const isFull = needs.filter(isOwnNeed).length >= maxOwnNeeds

  async function save(): Promise<void> {
    const was = draft?.was ?? saved
    try {
      const after = isChanged
        ? await call(api.needs.set, { body: { needs: [...needs], was: [...was] } })
        : await call(api.needs.state)
      setData(api.needs.state, {}, after)
      // What was changed since it was sent stays to be saved.
      setDraft((now) => (now === draft || !now ? null : { ...now, was: needs }))
      toast({ title: t('Success'), description: t('Needs saved') })
    } catch (error) {
      reportError(error, 'Failed to save the needs')
      if (isConflict(error)) await showTheirs(was)
    }
  }

  /** What somebody else has changed; what was changed here beside it stays. */
  async function showTheirs(was: readonly Need[]): Promise<void> {
    try {
      const now = await call(api.needs.state)
      setData(api.needs.state, {}, now)
      setDraft((mine) => ({
        was: now.needs,
        needs: mergeNeeds(keepTheirs, now.needs, was, mine?.needs ?? needs),
      }))
    } catch {
      // The refusal was shown.
    }
  }

  function setShown(need: Need, shown: boolean): void {
    const after = putNeed(needs, { ...need, hidden: !shown })
    if (after.every(({ hidden }) => hidden)) showError('Please leave at least one need for your guests')
    else setEdited(after)
  }

  const isIn = (need: Need | null): boolean => needs.some(({ id }) => id === need?.id)
  return (
    <Card
      title={t('Needs')}
      titleHidden
      description={t(
        'What guests can ask for: the names, the order, what is hidden, and up to twelve of your own. Open pages update at once.',
      )}
    >
      <div className="need-columns">
        <NeedList
          {...{ needs, language }}
          onMove={(id, to) => setEdited(moveNeed(needs, id, to))}
          onShow={setShown}
          onEdit={dialog.open}
        />
        <section className="flex flex-col gap-2">
          <h3 className="font-semibold">{t('As guests see it')}</h3>
          <NeedPreview {...{ needs, language }} />
        </section>
      </div>
      <div>
        <Button
          ref={addButton}
          icon={<Plus aria-hidden size={20} />}
          aria-haspopup="dialog"
          disabled={isFull}
          onClick={() => dialog.open(createNeed())}
        >
          {t('Add a Need')}
        </Button>
      </div>
      <div className="flex flex-wrap items-center gap-3">
        <Button variant="primary" pending={busy} pendingLabel={t('Saving…')} onClick={() => void run(save)}>
          {t('Save Needs')}
        </Button>
        <Button
          aria-label={`${t('Needs')}: ${t('Reset to Defaults')}`}
          onClick={() => setEdited(defaultNeeds)}
        >
          {t('Reset to Defaults')}
        </Button>
        <p role="status" className="text-text-mute">
          {isChanged && t('Not saved yet')}
        </p>
      </div>
      <NeedDialog
        dialog={dialog}
        isNew={!isIn(dialog.subject)}
        language={language}
        onLanguage={setLanguage}
        onDone={(need) => setEdited(putNeed(needs, need))}
        onRemove={(need) => setEdited(needs.filter((each) => each.id !== need.id))}
        finalFocus={() => (isIn(dialog.subject) ? null : addButton.current)}
      />
    </Card>
  )
}
