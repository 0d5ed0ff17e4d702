import { outcomeOf } from './outcome.js'

outcomeOf().then((outcome) => console.log(outcome))
