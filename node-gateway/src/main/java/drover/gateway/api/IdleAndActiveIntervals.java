package drover.gateway.api;

import com.google.protobuf.util.Durations;
import drover.agent.v1.Welcome;
import java.time.Duration;

/**
 * How often agents send heartbeats.
 *
 * @param idle while nothing happens
 * @param active during an attempt and its hold
 */
public record IdleAndActiveIntervals(Duration idle, Duration active) {
    Welcome toWelcome() {
        return Welcome.newBuilder()
                .setIdleHeartbeat(Durations.fromMillis(idle.toMillis()))
                .setActiveHeartbeat(Durations.fromMillis(active.toMillis()))
                .build();
    }
}
