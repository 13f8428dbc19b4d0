/**
 * Settles like `work`, or like `late` if `work` takes longer than `ms` milliseconds. The timer does not keep the
 * process alive. `work` itself continues.
 */
export async function within<Done, Late>(ms: number, work: Promise<Done>, late: () => Late): Promise<Done | Late> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms).unref();
  });
  try {
    return await Promise.race([work, over.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}
