"""Tenants, people, departments and roles."""
