import * as crew from '../../storage/crew/crew.ts'
import type { Db } from '../../storage/engine/types.ts'
import { forbidden } from '../errors.ts'

/** A screen may still act as a crew member who has left. */
export async function requirePresent(db: Db, restaurantId: string, id: string): Promise<void> {
  if (!(await crew.find(db, restaurantId, id))) throw forbidden('Please select your name first')
}
