import { type JSX, memo, useEffect, useState } from 'react'
import type { MessagesPanel, MessagesPanelProps } from '../features/messages/messages-panel.tsx'
import { Card } from '../ui/card.tsx'
import { Spinner } from '../ui/spinner.tsx'

const retryMs = 5_000

let loaded: typeof MessagesPanel | null = null

export async function loadMessages(): Promise<typeof MessagesPanel> {
  loaded ??= (await import('../features/messages/messages-panel.tsx')).MessagesPanel
  return loaded
}

/** The messaging panel, whose code comes after the requests: what keeps it away must not take them along. */
export const LazyMessages = memo(function LateMessages(props: MessagesPanelProps): JSX.Element {
  const [Panel, setPanel] = useState<typeof MessagesPanel | null>(() => loaded)
  const [failures, setFailures] = useState(0)
  useEffect(() => {
    if (Panel) return undefined
    let gone = false
    const load = async (): Promise<void> => {
      try {
        const panel = await loadMessages()
        if (!gone) setPanel(() => panel)
      } catch {
        if (!gone) setFailures((before) => before + 1)
      }
    }
    const timer = setTimeout(() => void load(), failures === 0 ? 0 : retryMs)
    return () => {
      gone = true
      clearTimeout(timer)
    }
  }, [Panel, failures])
  if (Panel) return <Panel {...props} />
  return (
    <Card title="Messages">
      {failures === 0 ? <Spinner /> : <p className="text-text-mute">Messages could not be loaded yet.</p>}
    </Card>
  )
})
