await Promise.reject(new Error('no connection'))
