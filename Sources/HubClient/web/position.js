// Where this device is. The browser asks the person for permission the first time.

/** The position as `{latitude, longitude}`, not older than a minute. Throws an error with the reason. */
export function position() {
  if (!self.isSecureContext) return Promise.reject(new Error("The position needs an encrypted connection: open the hub by https."));
  if (!navigator.geolocation) return Promise.reject(new Error("This browser does not know where it is."));
  return new Promise((done, failed) => navigator.geolocation.getCurrentPosition(
    ({ coords: { latitude, longitude } }) => done({ latitude, longitude }),
    ({ code }) => failed(new Error({ 1: "This site may not know where you are; allow it in the settings of the browser.", 3: "Where you are was not found in time. Try again." }[code] ?? "Where you are could not be found.")),
    { enableHighAccuracy: true, maximumAge: 60_000, timeout: 20_000 }));
}

/** A position as the property COORDINATES has it: to a metre. */
export const asText = ({ latitude, longitude }) => `${latitude.toFixed(5)},${longitude.toFixed(5)}`;
