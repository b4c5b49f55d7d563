import type { JSX } from 'react'
import { InOrder } from '../../ui/page/in-order.tsx'
import { ExpectedTimes } from './expected-times.tsx'
import { ManagerAccess } from './manager-access.tsx'
import { Pauses } from './now/pauses.tsx'
import { QrCodeManagement } from './qr-code-management.tsx'

/** What managers change, below what they look at. */
export function ManagementCards({ managerUsername }: { managerUsername: string | null }): JSX.Element {
  return (
    <InOrder className="grid gap-2.5 sm:gap-6 lg:grid-cols-2 lg:items-start">
      <InOrder className="flex min-w-0 flex-col gap-2.5 sm:gap-6">
        <Pauses />
        <ManagerAccess managerUsername={managerUsername} />
      </InOrder>
      <InOrder className="flex min-w-0 flex-col gap-2.5 sm:gap-6">
        <QrCodeManagement />
        <ExpectedTimes />
      </InOrder>
    </InOrder>
  )
}
