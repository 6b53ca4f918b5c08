package io.github.comch4j.management;

import io.github.comch4j.management.BeanType.BeanAttribute;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.AttributeNotFoundException;
import javax.management.DynamicMBean;
import javax.management.MBeanInfo;
import javax.management.ReflectionException;
import org.jspecify.annotations.Nullable;

/** A live object as JMX sees it: attributes to read, and nothing else. */
record ObjectBean<T>(BeanType<T> type, T object) implements DynamicMBean {
    /** The keys of its name. */
    String keys() {
        return type.keys().apply(object);
    }

    @Override
    public Object getAttribute(String name) throws AttributeNotFoundException {
        for (BeanAttribute<T> attribute : type.attributes()) {
            if (attribute.info().getName().equals(name)) {
                return attribute.value().apply(object);
            }
        }
        throw new AttributeNotFoundException("no attribute " + name);
    }

    /** Those of the names that it has. */
    @Override
    public AttributeList getAttributes(String[] names) {
        AttributeList found = new AttributeList();
        for (String name : names) {
            try {
                found.add(new Attribute(name, getAttribute(name)));
            } catch (AttributeNotFoundException e) {
                // is left out
            }
        }
        return found;
    }

    @Override
    public void setAttribute(Attribute attribute) throws AttributeNotFoundException {
        throw new AttributeNotFoundException("no attribute " + attribute.getName() + " that can be set");
    }

    @Override
    public AttributeList setAttributes(AttributeList attributes) {
        return new AttributeList();
    }

    @Override
    public Object invoke(String action, @Nullable Object[] arguments, String[] signature) throws ReflectionException {
        throw new ReflectionException(new NoSuchMethodException(action));
    }

    @Override
    public MBeanInfo getMBeanInfo() {
        return type.info();
    }
}
