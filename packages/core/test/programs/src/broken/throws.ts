throw new TypeError('PORT is not set')
