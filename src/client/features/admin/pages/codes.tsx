import ListChecks from 'lucide-react/icons/list-checks'
import Printer from 'lucide-react/icons/printer'
import type { JSX } from 'react'
import { t } from '../../../lib/texts/translate.ts'
import { LinkCard } from '../../../ui/choice-card.tsx'
import { AdminFrame } from '../frame.tsx'
import { QrManagement } from '../qr-management.tsx'

/** What guests scan. */
export const CodesPage = (): JSX.Element => (
  <AdminFrame section="codes">
    {() => (
      <>
        <QrManagement />
        <LinkCard
          href="/admin/cards"
          title={t('Table Cards')}
          description={t('Print a code of its own for every table')}
          icon={Printer}
        />
        <LinkCard
          href="/admin/cards/walk"
          title={t('Walk the Floor')}
          description={t('Scan the code on every table, and see what is missing or wrong.')}
          icon={ListChecks}
        />
      </>
    )}
  </AdminFrame>
)
