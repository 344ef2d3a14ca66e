package drover.simulation.world;

import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/** All dice of one story. The same seed throws the same numbers. */
public final class SeededRandom implements RandomGenerator {
    private final SplittableRandom random;

    /** Dice of a seed. */
    public SeededRandom(long seed) {
        this.random = new SplittableRandom(seed);
    }

    @Override
    public long nextLong() {
        return random.nextLong();
    }

    /** True this often. */
    public boolean nextBooleanPercent(int often) {
        return random.nextInt(100) < often;
    }

    /** A duration between two. */
    public Duration between(Duration least, Duration most) {
        long span = most.toMillis() - least.toMillis();
        return least.plusMillis(span <= 0 ? 0 : random.nextLong(span + 1));
    }

    /** One of several. */
    public <T> T pickOne(List<T> of) {
        return of.get(random.nextInt(of.size()));
    }
}
