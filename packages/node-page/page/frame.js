/** A function that calls `show` in the next frame: many changes are shown once, and none while the page is hidden. */
export function perFrame(show) {
  let isWaiting = false;
  return () => {
    if (isWaiting) return;
    isWaiting = true;
    requestAnimationFrame(() => {
      isWaiting = false;
      show();
    });
  };
}
