package drover.coordinator.plan.explain;

import drover.model.Digest;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Copies of a record that differ from it in one field each, found by reflection: a field that is
 * added later is in it without any change here.
 */
final class RecordVariants {
    private RecordVariants() {}

    /** Copies by the path of the field that differs, such as {@code conduct.onFailure}. */
    static Map<String, Object> of(Record whole) {
        Map<String, Object> altered = new LinkedHashMap<>();
        for (RecordComponent component : whole.getClass().getRecordComponents()) {
            others(component.getName(), value(whole, component))
                    .forEach((path, value) -> altered.put(path, put(whole, component, value)));
        }
        return altered;
    }

    /** The same with another value of one field. */
    static Object put(Object whole, String name, Object value) {
        RecordComponent component =
                Arrays.stream(whole.getClass().getRecordComponents())
                        .filter(one -> one.getName().equals(name))
                        .findFirst()
                        .orElseThrow();
        return put((Record) whole, component, value);
    }

    private static Map<String, Object> others(String path, Object value) {
        Map<String, Object> others = new LinkedHashMap<>();
        switch (value) {
            case String text -> others.put(path, text + "x");
            case Integer number -> others.put(path, number + 1);
            case Long number -> others.put(path, number + 1);
            case Boolean flag -> others.put(path, !flag);
            case Duration time -> others.put(path, time.plusSeconds(1));
            case Instant at -> others.put(path, at.plusSeconds(1));
            case Digest digest -> others.put(path, Digest.of(digest.value()));
            case Enum<?> one -> others.put(path, next(one));
            case List<?> list -> ofList(path, list, others);
            case Set<?> set -> others.put(path, joined(set));
            case Map<?, ?> map -> ofMap(path, map, others);
            case Record part -> ofRecord(path, part, others);
            default -> throw new IllegalArgumentException("No other value of " + path);
        }
        return others;
    }

    private static Object next(Enum<?> one) {
        List<?> all = List.of(one.getDeclaringClass().getEnumConstants());
        return all.get((all.indexOf(one) + 1) % all.size());
    }

    private static Set<Object> joined(Set<?> set) {
        Set<Object> more = new HashSet<>(set);
        more.add("ANOTHER");
        return more;
    }

    private static void ofList(String path, List<?> list, Map<String, Object> others) {
        others.put(path, list.subList(1, list.size()));
        others("0", list.getFirst())
                .forEach(
                        (inner, value) -> {
                            List<Object> changed = new ArrayList<>(list);
                            changed.set(0, value);
                            others.put(path + "." + inner, changed);
                        });
    }

    private static void ofMap(String path, Map<?, ?> map, Map<String, Object> others) {
        others.put(path, Map.of());
        Map.Entry<?, ?> first = map.entrySet().iterator().next();
        others(first.getKey().toString(), first.getValue())
                .forEach(
                        (inner, value) -> {
                            Map<Object, Object> changed = new TreeMap<>(map);
                            changed.put(first.getKey(), value);
                            others.put(path + "." + inner, changed);
                        });
    }

    /** Fields of the part, and the other kinds where it is one of several. */
    private static void ofRecord(String path, Record part, Map<String, Object> others) {
        of(part).forEach((inner, value) -> others.put(path + "." + inner, value));
        for (Class<?> type : part.getClass().getInterfaces()) {
            if (type.isSealed()) {
                for (Class<?> kind : type.getPermittedSubclasses()) {
                    if (kind != part.getClass()) {
                        others.put(path + " as " + kind.getSimpleName(), plain(kind));
                    }
                }
            }
        }
    }

    private static Object plain(Class<?> kind) {
        Object[] values =
                Arrays.stream(kind.getRecordComponents())
                        .map(one -> one.getType() == boolean.class ? (Object) false : (Object) 1)
                        .toArray();
        return construct(kind, values);
    }

    private static Object put(Record whole, RecordComponent changed, Object other) {
        Object[] values =
                Arrays.stream(whole.getClass().getRecordComponents())
                        .map(one -> sameName(one, changed) ? other : value(whole, one))
                        .toArray();
        return construct(whole.getClass(), values);
    }

    private static boolean sameName(RecordComponent one, RecordComponent other) {
        return one.getName().equals(other.getName());
    }

    private static Object construct(Class<?> type, Object[] values) {
        try {
            Class<?>[] types =
                    Arrays.stream(type.getRecordComponents())
                            .map(RecordComponent::getType)
                            .toArray(Class<?>[]::new);
            return type.getDeclaredConstructor(types).newInstance(values);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("Not constructed: " + type, e);
        }
    }

    private static Object value(Record whole, RecordComponent component) {
        try {
            return component.getAccessor().invoke(whole);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("Not readable: " + component, e);
        }
    }
}
