import type { JSX } from 'react'
import { useLocation } from 'wouter'
import { tRich } from '../../../lib/texts/translate-rich.ts'
import { Button } from '../../../ui/button.tsx'
import { rememberRestaurant } from '../restaurant-session.ts'

type ContinueAsProps = { name: string; restaurantName: string; next: string }

/** For people whose session lives: they go on without typing a password again. */
export function ContinueAs({ name, restaurantName, next }: ContinueAsProps): JSX.Element {
  const [, navigate] = useLocation()
  return (
    <Button
      variant="primary"
      wide
      onClick={() => {
        rememberRestaurant(restaurantName)
        navigate(next)
      }}
    >
      <span className="min-w-0 wrap-anywhere">
        {tRich('Continue as {name}', { name: <bdi>{name}</bdi> })}
      </span>
    </Button>
  )
}
