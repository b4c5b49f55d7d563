import Download from 'lucide-react/icons/download'
import type { JSX } from 'react'
import { download } from '../lib/browser/download.ts'
import { LinkButton } from './link-button.tsx'

type DownloadLinkProps = {
  href: string
  /** Checked on every click; false cancels the download. */
  mayDownload: () => Promise<boolean>
  onError: (error: unknown) => void
  children: string
}

/** A link to a file that may need a recent sign-in. */
export function DownloadLink({ href, mayDownload, onError, children }: DownloadLinkProps): JSX.Element {
  async function save(url: string): Promise<void> {
    try {
      if (await mayDownload()) download(url, '')
    } catch (error) {
      onError(error)
    }
  }

  return (
    <LinkButton
      href={href}
      download
      icon={<Download aria-hidden size={20} />}
      onClick={(event) => {
        event.preventDefault()
        void save(event.currentTarget.href)
      }}
    >
      {children}
    </LinkButton>
  )
}
