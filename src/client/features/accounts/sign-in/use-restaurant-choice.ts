import { useState } from 'react'
import * as v from 'valibot'
import { RestaurantRequired } from '#contract/errors.ts'
import { ApiError } from '../../../api/http.ts'
import type { LoginFormOptions } from './use-login-form.ts'

type DescribeError = LoginFormOptions<never, never>['describeError']

type RestaurantChoice = {
  /** To choose from, once the server has asked which one. */
  restaurants: readonly string[]
  describeError: DescribeError
}

const Answer = v.pipe(v.string(), v.parseJson(), RestaurantRequired)

/** Asks which restaurant is meant, where the password is right for several of one e-mail address. */
export function useRestaurantChoice(describeError: DescribeError): RestaurantChoice {
  const [restaurants, setRestaurants] = useState<readonly string[]>([])
  return {
    restaurants,
    describeError(error) {
      const { code, body } = error instanceof ApiError ? error : {}
      const answer = code === 'restaurant_required' ? v.safeParse(Answer, body) : null
      if (answer?.success) {
        setRestaurants(answer.output.restaurants)
        return null
      }
      // Another username or password may be meant for another restaurant.
      if (code === 'unauthenticated') setRestaurants([])
      return describeError(error)
    },
  }
}
