import { outcomeOf } from './outcome.js'

void outcomeOf().then((outcome) => console.log(outcome))
