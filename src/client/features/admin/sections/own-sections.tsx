import type { JSX } from 'react'
import type { CrewMember } from '#contract/crew/crew.ts'
import type { FloorPlan, PlacedTable, Section } from '#contract/floor/sections.ts'
import { t } from '../../../lib/texts/translate.ts'
import { Button } from '../../../ui/button.tsx'
import type { DayAssignments } from '../assignments/day-assignments.ts'

type OwnSection = { section: Section; member: CrewMember }

/** Sections that one crew member has as their own, while nobody is assigned to any table of the day. */
export function ownSections(
  { sections, members }: FloorPlan,
  tables: readonly PlacedTable[],
  crew: readonly CrewMember[],
  day: DayAssignments,
): OwnSection[] {
  if (day.tables.size > 0) return []
  return sections.flatMap((section) => {
    const [first, ...others] = members.filter(({ sectionId }) => sectionId === section.id)
    const member = crew.find(({ id }) => id === first?.crewMemberId)
    const hasTables = tables.some(({ sectionId }) => sectionId === section.id)
    return member && others.length === 0 && hasTables ? { section, member } : []
  })
}

/** Who works all of the section on the day, or has it as their own. */
export function suggestMember(
  plan: FloorPlan,
  tables: readonly PlacedTable[],
  section: Section,
  assigned: ReadonlyMap<string, CrewMember> | null,
): string {
  const ids = new Set(tables.map(({ id }) => assigned?.get(id)?.id))
  const [only] = ids
  if (ids.size === 1 && only !== undefined) return only
  return plan.members.find(({ sectionId }) => sectionId === section.id)?.crewMemberId ?? ''
}

type OwnSectionsProps = { own: readonly OwnSection[]; onAssign: () => void }

/** Offers to assign them all at once. */
export function OwnSections({ own, onAssign }: OwnSectionsProps): JSX.Element {
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-control bg-plate-2 px-4 py-2">
      <p className="min-w-0 flex-1 basis-60">
        {t('Nobody is assigned on this day yet. Own sections: {sections}.', {
          sections: own.map(({ section, member }) => `${section.name} (${member.name})`).join(', '),
        })}
      </p>
      <Button onClick={onAssign}>{t('Assign Own Sections')}</Button>
    </div>
  )
}
