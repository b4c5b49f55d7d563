import Download from 'lucide-react/icons/download'
import type { JSX } from 'react'
import { api } from '#contract/api.ts'
import { fetchAnswer } from '../../../api/http.ts'
import { downloadBlob } from '../../../lib/browser/download.ts'
import { useTask } from '../../../lib/hooks/use-task.ts'
import { t } from '../../../lib/texts/translate.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { useToast } from '../../../ui/toast/toast.tsx'
import { useReportError } from '../use-report-error.ts'

export type EverythingDownload = { busy: boolean; start: () => void }

/** One for the page: a second file meanwhile is refused. */
export function useEverythingDownload(): EverythingDownload {
  const [busy, run] = useTask()
  const { toast } = useToast()
  const reportError = useReportError()

  async function save(): Promise<void> {
    try {
      const answer = await fetchAnswer(api.restaurant.download)
      const name = fileNameIn(answer.headers)
      downloadBlob(await answer.blob(), name)
      toast({ title: t('Downloaded'), description: name })
    } catch (error) {
      reportError(error, 'The file could not be downloaded')
    }
  }

  return { busy, start: () => void run(save) }
}

/** As the server names it: `filename*=UTF-8''…`. */
function fileNameIn(headers: Headers): string {
  const encoded = /filename\*=UTF-8''([^;]+)/u.exec(headers.get('content-disposition') ?? '')?.[1]
  return encoded === undefined ? 'export.zip' : decodeURIComponent(encoded)
}

export const DownloadEverything = ({ busy, start }: EverythingDownload): JSX.Element => (
  <Button
    // Large text leaves no room for it on a phone.
    icon={<Download aria-hidden size={20} className="max-[14rem]:hidden" />}
    pending={busy}
    pendingLabel={t('Preparing…')}
    onClick={start}
  >
    <span className="min-w-0 wrap-anywhere hyphens-auto">{t('Download everything')}</span>
  </Button>
)

export const DownloadEverythingCard = ({ download }: { download: EverythingDownload }): JSX.Element => (
  <Card
    title={t('All your data')}
    anchor="all-data"
    description={t(
      'Everything about the restaurant in one ZIP file: tables, crew, requests, figures, messages and settings, with a manifest that says what each file in it is. It holds names and what guests wrote, so keep it safe. Passwords and keys are not in it.',
    )}
  >
    <div>
      <DownloadEverything {...download} />
    </div>
  </Card>
)
