import { type DeletedItem, RestoredSection } from '../deleted-items.ts'
import type { TableAssignment } from '../floor/floor.ts'
import {
  FloorArrangement,
  type FloorPlan,
  NewSection,
  Section,
  SectionAssignments,
  SectionOrder,
} from '../floor/sections.ts'
import { idParams, type Routes, unchecked } from './route.ts'

export const sections = {
  add: { method: 'POST', path: '/api/sections', body: NewSection, reply: Section, status: 201 },
  change: {
    method: 'PATCH',
    path: '/api/sections/:id',
    params: idParams,
    body: NewSection,
    reply: Section,
  },
  reorder: {
    method: 'POST',
    path: '/api/sections/order',
    body: SectionOrder,
    reply: unchecked<Section[]>(),
  },
  /** Its tables stay, without a section. */
  remove: { method: 'DELETE', path: '/api/sections/:id', params: idParams },
  /** What can still be restored, latest first. */
  deleted: { method: 'GET', path: '/api/deleted-sections', reply: unchecked<DeletedItem[]>() },
  restore: {
    method: 'POST',
    path: '/api/deleted-sections/:id/restore',
    params: idParams,
    body: RestoredSection,
    reply: Section,
  },
  arrange: {
    method: 'POST',
    path: '/api/floor-plan',
    body: FloorArrangement,
    reply: unchecked<FloorPlan>(),
  },
  /** Also returns the day as it was `before`, so that it can be undone. */
  assign: {
    method: 'POST',
    path: '/api/section-assignments',
    body: SectionAssignments,
    reply: unchecked<{ before: TableAssignment[]; assignments: TableAssignment[] }>(),
  },
} satisfies Routes
