import './between.js'
